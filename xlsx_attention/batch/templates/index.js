(function () {
  "use strict";
  var table = document.getElementById("files");
  var body = table.tBodies[0];
  var rows = Array.prototype.map.call(body.rows, function (row, position) {
    return { row: row, position: position, text: row.textContent.toLowerCase(), status: row.getAttribute("data-status") };
  });
  var search = document.getElementById("search");
  var status = document.getElementById("status");
  var shown = document.getElementById("shown");
  function filter() {
    var words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    var count = 0;
    rows.forEach(function (item) {
      var fits = (!status.value || item.status === status.value) &&
        words.every(function (word) { return item.text.indexOf(word) >= 0; });
      item.row.hidden = !fits;
      count += fits ? 1 : 0;
    });
    shown.textContent = count + " / " + rows.length;
  }
  function key(item, column) {
    var cell = item.row.cells[column];
    var value = cell.getAttribute("data-value");
    return value === null ? cell.textContent.toLowerCase() : value === "" ? -1 : Number(value);
  }
  var heads = Array.prototype.slice.call(table.tHead.rows[0].cells);
  heads.forEach(function (head, column) {
    head.querySelector("button").addEventListener("click", function () {
      var down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach(function (other) { other.removeAttribute("aria-sort"); });
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      rows.forEach(function (item) { item.key = key(item, column); });
      rows.sort(function (a, b) {
        var order = a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
        return (down ? -order : order) || a.position - b.position;
      });
      var all = document.createDocumentFragment();
      rows.forEach(function (item) { all.appendChild(item.row); });
      body.appendChild(all);
    });
  });
  search.addEventListener("input", filter);
  status.addEventListener("change", filter);
  filter();
}());
