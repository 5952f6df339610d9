"""The nouns: frozen, slotted, without behaviour beyond their own arithmetic. No stage lives here."""
