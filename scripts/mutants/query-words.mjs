import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageOf } from './plan.mjs'

// Stryker changes a text as a whole, and a query that is empty fails every test. What decides in a query are its words:
// each that stands here becomes a mutant of its own. In the copy, `expires_at > $2` is written as
// `expires_at ${queryWord(true, 0)} $2`, and the only thing that Stryker finds there to change is `true`.

const inSql = [
  [/ > /g, ' >= '],
  [/ <= /g, ' < '],
  [/ <> /g, ' = '],
  [/(?<=\b(?:where|and) \w+) = (?=\$)/g, ' <> '],
  [/ and /g, ' or '],
  [/ is not distinct from /g, ' is distinct from '],
  [/ is null/g, ' is not null'],
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/ order by \w+(?:, \w+)*/g, ''],
  [/ limit \$\d/g, ''],
]

const inLua = [
  [/ > /g, ' >= '],
  [/ < /g, ' <= '],
  [/ <= /g, ' < '],
  [/ >= /g, ' > '],
  [/ == /g, ' ~= '],
  [/ ~= /g, ' == '],
  [/ and /g, ' or '],
  [/ or /g, ' and '],
  [/\bnot /g, ''],
  [/ \+ (?=\w)/g, ' - '],
  [/ - (?=\w)/g, ' + '],
  [/math\.max/g, 'math.min'],
  [/math\.min/g, 'math.max'],
  [/math\.ceil/g, 'math.floor'],
  [/ '(?:GT|XX)',/g, ''],
  [/(?<=')\((?=%)/g, ''],
  [/'\(' \.\. /g, ''],
  // `tostring` does nothing.
  [/(?<=\n|then )redis\.call(?=\('(?:DEL|PEXPIRE|HSET|ZREM|ZADD)')/g, 'tostring'],
]

const literals = /`[^`]*`|'(?:select|insert|update|delete) [^'\n]*'/g
const insertions = /(\$\{[^}]*\})/

/**
 * Rewrites the queries of a package in the copy, and returns by file its `lines` as they were, and the `words`:
 * `[what stands there, what else could]`.
 */
export function writeQueryWords(copy, name) {
  const sources = join('packages', packageOf(name), 'src')
  const files = readdirSync(join(copy, sources), { recursive: true }).filter(
    (file) => file.endsWith('.ts') && !/\btesting\b/.test(file),
  )
  return Object.fromEntries(files.map((file) => join(sources, file)).map((file) => [file, rewrite(join(copy, file))]))
}

function rewrite(path) {
  const words = []
  const original = readFileSync(path, 'utf8')
  const source = original.replace(literals, (literal) => {
    const pairs = pairsOf(literal)
    return pairs ? `\`${insertWords(literal.slice(1, -1), pairs, words)}\`` : literal
  })
  const lines = original.split('\n')
  if (words.length === 0) return { lines, words }
  const table = `// Stryker disable all\nfunction queryWord(is, index) { return ${JSON.stringify(words)}[index][is ? 0 : 1] }\n`
  writeFileSync(path, `${source}\n${table}`)
  return { lines, words }
}

function pairsOf(literal) {
  if (/\bredis\.p?call\b|\blocal \w+ = |^`string\.format/.test(literal)) return inLua
  return /^.(select\b[\s\S]*\bfrom|insert into|update \w+ set|delete from) /.test(literal) ? inSql : null
}

function insertWords(text, pairs, words) {
  const found = (part) => {
    const hits = pairs.flatMap(([pattern, to]) =>
      [...part.matchAll(pattern)].map(({ index, 0: from }) => ({ index, from, to })),
    )
    let written = ''
    let position = 0
    for (const { index, from, to } of hits.sort((left, right) => left.index - right.index)) {
      if (index < position) continue
      written += `${part.slice(position, index)}\${queryWord(true, ${words.push([from, to]) - 1})}`
      position = index + from.length
    }
    return written + part.slice(position)
  }
  return text
    .split(insertions)
    .map((part) => (insertions.test(part) ? part : found(part)))
    .join('')
}

/** Returns the text as it stands in the checkout. */
export function restoreWords(text, words) {
  return text.replace(/\$\{queryWord\(true, (\d+)\)\}/g, (_call, index) => words[index][0])
}

/** Returns the word that a mutant changes, or `undefined` for one of Stryker's own. */
export function findWord(line, column, words) {
  const [, index] = /^queryWord\(true, (\d+)\)/.exec(line.slice(column - 'queryWord('.length)) ?? []
  return index === undefined ? undefined : words[index]
}
