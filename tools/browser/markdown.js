// The Markdown of the lessons as HTML: headings, lists, tables, quotes, code, pictures, folded parts. Nothing else is written in them.
'use strict';
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function inline(text, picture) {
  const codes = [];
  text = escaped(text).replace(/`([^`]+)`/g, (_, code) => `\u0001${codes.push(code) - 1}\u0001`);
  text = text.replace(/!\[([^\]]*)\]\(([^)]+)\)/g, (_, words, place) => `<img alt="${words.replaceAll('"', '&quot;')}" src="${picture(place)}">`)
    .replace(/\[([^\]]+)\]\(([^)]+)\)/g, (_, words, place) => place.includes('://') ? `<a href="${place}">${words}</a>` : words)
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>').replace(/\*([^*\s][^*]*)\*/g, '<em>$1</em>')
    .replace(/&lt;(\/?(?:code|br|sub|sup|kbd))&gt;/g, '<$1>').replace(/(\d) (?=\d{3}(?!\d))/g, '$1\u00a0');
  return text.replace(/\u0001(\d+)\u0001/g, (_, n) => `<code>${codes[n]}</code>`);
}

function rendered(markdown, picture) {
  const lines = markdown.replace(/<!--[\s\S]*?-->/g, '').split('\n');
  const html = [];
  let paragraph = [];
  const flush = () => { if (paragraph.length) html.push(`<p>${inline(paragraph.join(' '), picture)}</p>`); paragraph = []; };
  for (let at = 0; at < lines.length; ++at) {
    const line = lines[at];
    let match;
    if (/^\s*(```|~~~)/.test(line)) {
      flush();
      const code = [];
      while (++at < lines.length && !/^\s*(```|~~~)/.test(lines[at])) code.push(lines[at]);
      html.push(`<pre tabindex="0">${escaped(code.join('\n'))}</pre>`);
    } else if (match = line.match(/^(#{1,4}) (.*)/)) {
      flush();
      html.push(`<h${match[1].length + 1}>${inline(match[2], picture)}</h${match[1].length + 1}>`);
    } else if (match = line.match(/^<(\/?details|summary)[^>]*>(.*)/)) {
      flush();
      html.push(match[1] === 'summary' ? `<summary>${inline(match[2].replace('</summary>', ''), picture)}</summary>` : `<${match[1]}>`);
    } else if (/^>/.test(line)) {
      flush();
      const quoted = [];
      for (; at < lines.length && /^>/.test(lines[at]); ++at) quoted.push(lines[at].replace(/^> ?/, ''));
      --at;
      html.push(`<blockquote>${rendered(quoted.join('\n'), picture)}</blockquote>`);
    } else if (/^\|/.test(line)) {
      flush();
      const rows = [];
      for (; at < lines.length && /^\|/.test(lines[at]); ++at) rows.push(lines[at].replace(/^\||\|\s*$/g, '').split('|'));
      --at;
      const cells = (row, tag) => `<tr>${row.map((cell) => `<${tag}>${inline(cell.trim(), picture)}</${tag}>`).join('')}</tr>`;
      html.push(`<table>${cells(rows[0], 'th')}${rows.slice(2).map((row) => cells(row, 'td')).join('')}</table>`);
    } else if (match = line.match(/^\s*(?:[-*]|\d+\.) (.*)/)) {
      flush();
      const items = [];
      const numbered = /^\s*\d/.test(line);
      for (; at < lines.length && lines[at].trim(); ++at) {
        const item = lines[at].match(/^\s*(?:[-*]|\d+\.) (.*)/);
        if (item) items.push(item[1]);
        else items[items.length - 1] += ' ' + lines[at].trim();
      }
      const tag = numbered ? 'ol' : 'ul';
      html.push(`<${tag}>${items.map((item) => `<li>${inline(item, picture)}</li>`).join('')}</${tag}>`);
    } else if (!line.trim()) {
      flush();
    } else {
      paragraph.push(line.trim());
    }
  }
  flush();
  return html.join('\n');
}
