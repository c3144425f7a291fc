//! Which statement, item, argument or chain link an annotation speaks of.
