// Prints the words of every page of the documentation and of every README of a package, beside what each may have.
import { wordCounts } from '../packages/conventions/src/documents/word-counts.ts'
import { openHouse } from '../packages/conventions/src/house/house.ts'
import { root } from './workspace.mjs'

const counts = wordCounts(openHouse(root))
for (const { path, words, limit } of counts) {
  console.log(`${String(words).padStart(6)} of ${String(limit).padStart(4)}${words > limit ? ' !' : '  '} ${path}`)
}
const over = counts.filter(({ words, limit }) => words > limit)
console.log(
  `${counts.reduce((sum, { words }) => sum + words, 0)} words on ${counts.length} pages, ${over.length} too long`,
)
