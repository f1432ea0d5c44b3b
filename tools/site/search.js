// The site's search: it takes the place of the theme's, which knows no synonyms and ranks a word in a title as any other.
//
// Enters: the theme's index (pages cut at their headings), the words of search.toml, a question. Leaves: pages, best first, in the form that
// the theme draws. It runs in the page itself, without a worker, so that it works from a folder as well as from a server. tests/site asks it
// under node.
const HAN = /[\u3400-\u9fff]/;
const TITLE = 4, PAGE = 2, WORDS = 5, PREFIX = 0.5;  // what a word weighs there; in the text up to 1
const SHOWN = 30;  // pages

// "Installing" -> "install": the beginning that forms of a word share.
const stem = (word) => word.replace(/^(.{3,}?)(?:ies|ings?|ers?|(?<!e)ed|es|(?<!s)s|e|y)$/, '$1');
// A text as tokens: stems, and pairs of neighbours of a Chinese run.
function tokens(text) {
  const plain = text.replace(/<[^>]*>|\u200b/g, '').replace(/&\w+;/g, ' ').toLowerCase();
  return (plain.match(/[\u3400-\u9fff]+|[a-z\d_]+/g) ?? []).flatMap((run) => {
    if (!HAN.test(run)) return run.split('_').filter(Boolean).map(stem);
    return run.length < 2 ? [run] : [...run].slice(1).map((sign, k) => run[k] + sign);
  });
}

class Search {
  constructor(docs, {nothing, same}) {
    this.nothing = new Set(nothing.filter((word) => !HAN.test(word)).map(stem));
    this.phrases = nothing.filter((word) => HAN.test(word)).sort((a, b) => b.length - a.length);
    this.same = same.map((group) => group.map((phrase) => [phrase.toLowerCase(), tokens(phrase)]));
    this.places = new Map();  // token -> document -> how often
    const pages = new Map();
    this.entries = docs.map((doc, at) => {
      const page = doc.location.split('#')[0];
      if (!pages.has(page)) pages.set(page, doc);
      const text = tokens(doc.text), title = tokens(doc.title), own = (doc.words ?? []).flatMap(tokens);
      const entry = {doc, page: pages.get(page), length: text.length, title: new Set(title), own: new Set(own), inPage: new Set(),
                     named: [...new Set(title)].filter((token) => !this.nothing.has(token))};
      if (entry.page !== doc) entry.inPage = new Set(tokens(entry.page.title));
      for (const token of [...text, ...new Set([...title, ...own, ...entry.inPage])]) {
        const found = this.places.get(token) ?? new Map();
        this.places.set(token, found.set(at, (found.get(at) ?? 0) + 1));
      }
      return entry;
    });
    this.sorted = [...this.places.keys()].sort();
    this.usual = this.entries.reduce((sum, entry) => sum + entry.length, 0) / (docs.length || 1);
  }

  // What a question names: for each idea the ways to say it, each as tokens.
  ideas(question) {
    let text = ` ${question.toLowerCase()} `;
    const found = [];
    for (const group of this.same) {
      const said = group.find(([phrase]) => (HAN.test(phrase) ? text.includes(phrase) : ` ${text.replace(/[^a-z\d+#]+/g, ' ')} `.includes(` ${phrase} `)));
      if (!said) continue;
      found.push(group.map(([, parts]) => parts));
      text = text.replace(said[0], ' ');
    }
    for (const phrase of this.phrases) text = text.replaceAll(phrase, ' ');
    return [...found, ...tokens(text).filter((token) => !this.nothing.has(token)).map((token) => [[token]])];
  }

  rarity(token) {
    return Math.log(1 + this.entries.length / (1 + (this.places.get(token)?.size ?? 0)));
  }

  // Longer words of the site that begin with a token.
  beginningWith(token) {
    let low = 0, high = this.sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.sorted[middle] <= token) low = middle + 1;
      else high = middle;
    }
    while (high < this.sorted.length && this.sorted[high].startsWith(token)) ++high;
    return this.sorted.slice(low, high);
  }

  // Where a token stands, and words that begin with it, as a map from documents to weights.
  weights(token) {
    const sums = new Map();
    const add = (word, share) => this.places.get(word)?.forEach((count, at) => {
      const {title, own, inPage, length} = this.entries[at];
      const weight = count / (count + 0.5 + length / this.usual) + TITLE * title.has(word) + WORDS * own.has(word) + PAGE * inPage.has(word);
      sums.set(at, Math.max(sums.get(at) ?? 0, share * weight));
    });
    add(token, 1);
    if (token.length > 2) this.beginningWith(token).forEach((word) => add(word, PREFIX));
    return sums;
  }

  // Entries that say something of a question, each with its score.
  scored(question) {
    const found = new Map(), ideas = this.ideas(question);
    let whole = 0;
    for (const ways of ideas) {
      const best = new Map(), asked = new Map();
      const weight = Math.max(...ways.flat().map((token) => this.rarity(token)));
      whole += weight;
      for (const way of ways) {
        const [first, ...others] = way.map((token) => this.weights(token));
        first?.forEach((value, at) => {
          if (!others.every((part) => part.has(at))) return;
          const mean = others.reduce((sum, part) => sum + part.get(at), value) / way.length;
          best.set(at, Math.max(best.get(at) ?? 0, mean));
          asked.set(at, [...(asked.get(at) ?? []), ...way]);
        });
      }
      best.forEach((value, at) => {
        const entry = found.get(at) ?? {sum: 0, share: 0, asked: []};
        found.set(at, {sum: entry.sum + weight * value, share: entry.share + weight, asked: [...entry.asked, ...asked.get(at)]});
      });
    }
    return new Map([...found].map(([at, {sum, share, asked}]) => {
      const {doc, named} = this.entries[at];
      const said = named.filter((token) => asked.includes(token)).length / (named.length || 1);
      return [at, sum * (share / whole) ** 2 * (1 + said) * (doc.boost ?? 1) ** 0.25];
    }));
  }

  // The result as the theme draws it: for each page its headings, the page itself among them.
  find(question) {
    const scores = this.scored(question);
    const typed = [...new Set(this.ideas(question).flat(2))];
    const pages = new Map();
    for (const [at, score] of [...scores].sort((a, b) => b[1] - a[1])) {
      const {doc, page} = this.entries[at];
      if (pages.size === SHOWN && !pages.has(page)) continue;
      pages.set(page, [...(pages.get(page) ?? []), this.shown(doc, score, typed)]);
    }
    for (const [page, items] of pages) if (!items.some((item) => item.location === page.location)) items.push(this.shown(page, 0, typed));
    return {items: [...pages.values()]};
  }

  // A heading with the words marked, and those paragraphs that hold some.
  shown(doc, score, typed) {
    const wanted = typed.length ? new RegExp(`(?<![a-z\\d])(?:${typed.join('|')})[a-z\\d]*`, 'gi') : /$^/g;
    const mark = (part) => (part.startsWith('<') ? part : part.replace(wanted, '<mark data-md-highlight>$&</mark>'));
    const marked = (html) => html.replace(/\u200b/g, '').split(/(<[^>]*>)/).map(mark).join('');
    const parts = doc.text.split(/(?<=<\/(?:p|ul|ol|pre)>)/);
    const text = parts.map(marked).filter((part) => part.includes('<mark')).slice(0, 3).join(' ') || marked(parts[0]);
    return {location: doc.location, title: marked(doc.title), text, score, terms: Object.fromEntries(typed.map((word) => [word, true]))};
  }
}

if (typeof module === 'object') module.exports = {Search};
