// Asks the index that the built site has, as its search box does. `npm run site` runs it after the build.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import MiniSearch from 'minisearch'
import { search } from '../src/search-options.mjs'
import { questions } from './questions.mjs'

const chunks = new URL('../dist/html/assets/chunks/', import.meta.url)
const file = readdirSync(chunks).find((name) => name.startsWith('@localSearchIndexroot'))
const { default: index } = await import(new URL(file, chunks))
const { options, searchOptions } = search.options.miniSearch
const built = MiniSearch.loadJSON(index, {
  fields: ['title', 'titles', 'text'],
  storeFields: ['title', 'titles'],
  searchOptions,
  ...options,
})
const sections = JSON.parse(readFileSync(new URL('../dist/sections.json', import.meta.url), 'utf8'))
const items = sections.flatMap(({ groups }) => groups.flatMap((group) => group.items))
const wordsOf = (text) => text.split(/[\s\p{P}]+/u).flatMap((word) => options.processTerm(word) ?? [])

for (const [question, pages, places = 3] of questions) {
  test(`the search for “${question}” has its page within ${places} results`, () => {
    const found = built.search(question).slice(0, places)
    const addresses = found.map(({ id }) => id.replace(/#.*/, ''))
    assert.ok(
      addresses.some((address) => pages.includes(address)),
      `found ${addresses.join(', ')}`,
    )
  })

  test(`the table of contents has a line with the words “${question}”`, () => {
    const lines = items.filter(({ address }) => pages.includes(address)).map((item) => `${item.title} ${item.text}`)
    const words = wordsOf(question).filter((word) => word !== '')
    assert.ok(
      lines.some((line) => words.every((word) => wordsOf(line).includes(word))),
      `of ${words.join(', ')} not all in: ${lines.join(' | ')}`,
    )
  })
}
