// Prints the words of each page and README, and the texts that need a second read.
import { parseArgs } from 'node:util'
import { plainWords } from '../packages/conventions/src/documents/plain-words.ts'
import { wordCounts } from '../packages/conventions/src/documents/word-counts.ts'
import { openHouse } from '../packages/conventions/src/house/house.ts'
import { root } from './workspace.mjs'

const help = `usage: npm run words [-- <folder>]

Prints the number of words of each page of the documentation and of each README of a package with its limit,
and for each package the number of comments, paragraphs and titles of tests that need a second read.

  <folder>  prints these texts, with file and line, of one package, example, or of "docs"
  --help    prints this text`

const { values, positionals } = parseArgs({ options: { help: { type: 'boolean' } }, allowPositionals: true })
const [folder] = positionals
if (values.help) console.log(help)
else if (folder) printTexts(folder.replace(/\/$/, ''))
else printAll()

function printTexts(folder) {
  const texts = plainWords(openHouse(root)).filter((one) => one.folder === folder)
  if (texts.length === 0) {
    console.error(`no texts in ${folder}; folders are packages/<name>, examples/<name> and docs`)
    process.exitCode = 1
  }
  for (const text of texts.flatMap(({ flagged }) => flagged)) console.log(text)
}

function printAll() {
  const house = openHouse(root)
  const counts = wordCounts(house)
  for (const { path, words, limit } of counts) {
    console.log(`${String(words).padStart(6)} of ${String(limit).padStart(4)}${words > limit ? ' !' : '  '} ${path}`)
  }
  const over = counts.filter(({ words, limit }) => words > limit)
  console.log(
    `${counts.reduce((sum, { words }) => sum + words, 0)} words on ${counts.length} pages, ${over.length} too long\n`,
  )
  for (const { folder, kind, texts, flagged, limit } of plainWords(house)) {
    const isOver = flagged.length > limit ? ' !' : '  '
    console.log(`${String(flagged.length).padStart(6)} of ${String(texts).padStart(4)}${isOver} ${folder} ${kind}`)
  }
}
