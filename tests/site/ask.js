// The site's search under node. Enters: FILE with {"docs", "words", "questions"}; leaves: for each question its pages, best first.
const fs = require('fs');
const {Search} = require(process.argv[2]);
const {docs, words, questions} = JSON.parse(fs.readFileSync(process.argv[3], 'utf-8'));
const search = new Search(docs, words);
console.log(JSON.stringify(questions.map((question) => search.find(question).items.map((items) => items[0].location.split('#')[0]))));
