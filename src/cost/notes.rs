//! What is known of the nodes of a graph before any is evaluated.

use std::rc::Rc;

use super::clock_use::ClockUse;
use super::profile::Mentions;
use super::state::Key;
use super::term::{Term, TermId, Terms};

/// What is known of a node without evaluating it.
#[derive(Clone, Debug, Default)]
pub(super) struct Note {
    mentions: Option<Mentions>,
    /// Those of them whose state at its start decides anything.
    reads: Option<Mentions>,
    /// How deep nodes are nested below it, itself included; 0: not looked at yet.
    pub depth: u32,
    /// Whether something below it runs beside.
    pub starts: bool,
    /// Whether something below it cuts.
    pub limits: bool,
}

/// Keys beyond this are not listed: the node is taken to mention all.
const MOST_KEYS: usize = 256;

/// The notes of one graph.
pub(super) struct Notes {
    notes: Vec<Note>,
    clocks: Rc<ClockUse>,
}

impl Notes {
    pub fn new(terms: &Terms, clocks: Rc<ClockUse>) -> Notes {
        Notes {
            notes: vec![Note::default(); terms.len()],
            clocks,
        }
    }

    pub fn of(&self, id: TermId) -> &Note {
        &self.notes[id.0 as usize]
    }

    /// Notes what is to be known of each node below `root`; those that were not known,
    /// in ascending order.
    pub fn survey(&mut self, terms: &Terms, root: TermId) -> Vec<TermId> {
        let mut open = vec![root];
        let mut order = Vec::new();
        while let Some(id) = open.pop() {
            let note = &mut self.notes[id.0 as usize];
            if note.depth > 0 {
                continue;
            }
            note.depth = 1;
            order.push(id);
            terms.get(id).each_child(|child| open.push(child));
        }
        order.sort_unstable();
        for &id in &order {
            self.notes[id.0 as usize] = self.note(terms, id);
        }
        order
    }

    /// What is known of a node once its children are.
    fn note(&self, terms: &Terms, id: TermId) -> Note {
        let term = terms.get(id);
        let limit = matches!(
            term,
            Term::Deadline { .. } | Term::Within { .. } | Term::FirstOf { .. }
        );
        let mentions = self.mentioned(term);
        let mut note = Note {
            reads: Some(self.read(id, &mentions)),
            mentions: Some(mentions),
            depth: 1,
            starts: matches!(term, Term::Start { .. } | Term::Detached(_)),
            limits: limit,
        };
        term.each_child(|child| {
            let child = &self.notes[child.0 as usize];
            note.depth = note.depth.max(child.depth.saturating_add(1));
            note.starts |= child.starts;
            note.limits |= child.limits;
        });
        note
    }

    fn mentioned(&self, term: &Term) -> Mentions {
        let mut joined = Mentions {
            keys: Rc::from([]),
            all: false,
        };
        let mut join = |mentions: Mentions| {
            if joined.keys.is_empty() {
                joined.keys = mentions.keys;
            } else if !mentions.keys.is_empty() && joined.keys != mentions.keys {
                let mut keys = [&joined.keys[..], &mentions.keys[..]].concat();
                keys.sort_unstable();
                keys.dedup();
                joined.keys = keys.into();
            }
            joined.all |= mentions.all;
            if joined.keys.len() > MOST_KEYS {
                joined.all = true;
                joined.keys = joined.keys[..1].into();
            }
        };
        let own = match *term {
            Term::Arm { clock, .. } | Term::Within { clock, .. } | Term::Disarm(clock) => {
                Some(Key::Clock(clock))
            }
            Term::Start { handle, .. } | Term::Join(handle) => Some(Key::Handle(handle)),
            Term::Once { key, .. } => Some(Key::Once(key)),
            Term::Pace { key, .. } => {
                join(Mentions {
                    keys: Rc::from([Key::Crowd(key)]),
                    all: false,
                });
                Some(Key::Pace(key))
            }
            Term::Hold { pool, .. } => Some(Key::Pool(pool)),
            _ => None,
        };
        if let Some(key) = own {
            join(Mentions {
                keys: Rc::from([key]),
                all: false,
            });
        }
        term.each_child(|child| {
            if let Some(mentions) = &self.notes[child.0 as usize].mentions {
                join(mentions.clone());
            }
        });
        joined
    }

    /// Of the keys that a node mentions, those that matter to it.
    fn read(&self, id: TermId, mentions: &Mentions) -> Mentions {
        let matters = |key: &Key| match key {
            Key::Clock(clock) => self.clocks.matters(id, *clock),
            _ => true,
        };
        if mentions.all || mentions.keys.iter().all(matters) {
            return mentions.clone();
        }
        let keys = mentions.keys.iter().filter(|key| matters(key));
        Mentions {
            keys: keys.copied().collect(),
            all: false,
        }
    }
}

impl Note {
    /// What it mentions; of a node that was not looked at, all.
    pub fn mentions(&self) -> Mentions {
        self.mentions.clone().unwrap_or_else(Mentions::everything)
    }

    /// What its bound depends on.
    pub fn reads(&self) -> Mentions {
        self.reads.clone().unwrap_or_else(Mentions::everything)
    }
}
