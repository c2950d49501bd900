// Ranks the sections of the index by the words that somebody typed. The index was built with the same rules
// (search_index.py); words are compared without their endings, and the last one may be incomplete.
const WORD = /[A-Za-z0-9]+(?:_[A-Za-z0-9]+)*/g;
const CAMEL = /(?<=[a-z0-9])(?=[A-Z])|_/;
const STOP_WORDS = new Set(("a an and are as at be by can do does for from get has have how i if in is it its my not of on or "
  + "that the their them there they this to was what when where which who why will with you your").split(" "));
const MIN_STEM = 3;
// What begins with an incomplete word counts less, and much less if the word as it is was found.
const PREFIX_SHARE = 0.6;
const PREFIX_SHARE_BESIDE_EXACT = 0.15;

export function splitWords(text) {
  const words = [];
  for (const match of text.match(WORD) ?? []) {
    const parts = match.split(CAMEL).filter(Boolean);
    for (const part of parts) {
      const lower = part.toLowerCase();
      if (!STOP_WORDS.has(lower)) words.push(stem(lower));
    }
    if (parts.length > 1) words.push(match.toLowerCase());
  }
  return words;
}

function stem(word) {
  const short = word.replace(/(?:ing|ed|es|s|e|y)$/, "");
  return short.length >= MIN_STEM ? short : word;
}

export function rank(index, query, limit = 12) {
  const words = [...new Set(splitWords(query))];
  const scores = new Map();
  for (const [number, word] of words.entries()) {
    for (const [section, score] of scoresOf(index, word, number === words.length - 1)) {
      const known = scores.get(section) ?? { sum: 0, found: 0 };
      scores.set(section, { sum: known.sum + score, found: known.found + 1 });
    }
  }
  return [...scores]
    .map(([section, { sum, found }]) => ({ section, score: sum * (found / words.length) ** 2 }))
    .sort((one, other) => other.score - one.score || one.section - other.section)
    .slice(0, limit)
    .map(({ section }) => {
      const [page, anchor, title, heading, excerpt] = index.sections[section];
      return { page, anchor, title, heading, excerpt };
    });
}

function scoresOf(index, word, mayContinue) {
  const scores = new Map();
  const add = (row, share) => {
    const rarity = Math.log(1 + index.sections.length / (row.length / 2));
    for (let place = 0; place < row.length; place += 2) {
      scores.set(row[place], Math.max(scores.get(row[place]) ?? 0, row[place + 1] * rarity * share));
    }
  };
  const row = Object.hasOwn(index.terms, word) ? index.terms[word] : undefined;
  if (row) add(row, 1);
  if (mayContinue && word.length >= MIN_STEM) {
    for (const term in index.terms) {
      if (term !== word && term.startsWith(word)) add(index.terms[term], row ? PREFIX_SHARE_BESIDE_EXACT : PREFIX_SHARE);
    }
  }
  return scores;
}
