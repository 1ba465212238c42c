import { posix } from 'node:path'
import type { House } from '../house/house.ts'

/** The page that says which test shows what. */
const page = 'docs/security.md'

/**
 * The sections of ASVS 5.0.0 that the page answers for, with how many requirements each has, and which of them are of level 3: of
 * those the page has what holds.
 */
const sections: Readonly<Record<string, readonly [count: number, ...levelThree: number[]]>> = {
  'V3.3': [5, 5],
  'V3.4': [8, 7, 8],
  'V3.5': [8, 6, 7, 8],
  'V4.1': [5, 4, 5],
  'V4.2': [5, 2, 3, 4, 5],
  'V4.3': [2],
  'V4.4': [4],
  'V6.1': [3],
  'V6.2': [12],
  'V6.3': [8, 5, 6, 7, 8],
  'V6.4': [6, 5, 6],
  'V6.5': [8, 6, 7, 8],
  'V6.6': [4, 4],
  'V6.7': [2, 1, 2],
  'V6.8': [4],
  'V7.1': [3],
  'V7.2': [4],
  'V7.3': [2],
  'V7.4': [5],
  'V7.5': [3, 3],
  'V7.6': [2],
  'V8.1': [4, 3, 4],
  'V8.2': [4, 4],
  'V8.3': [3, 2, 3],
  'V8.4': [2, 2],
  'V9.1': [3],
  'V9.2': [4],
  'V10.1': [2],
  'V10.2': [3, 3],
  'V10.3': [5, 5],
  'V10.4': [16, 12, 13, 14, 15, 16],
  'V10.5': [5],
  'V10.6': [2],
  'V10.7': [3],
}

/** Every test that the page on security names is in the file that it links, and every requirement has its row. */
export function checkProofs(house: House): string[] {
  if (!house.has(page)) return []
  const text = house.read(page)
  return [...strangeProofs(house, text), ...incompleteRows(text)]
}

function strangeProofs(house: House, text: string): string[] {
  return [...text.matchAll(/\[((?:\\.|[^\]\\])*)\]\(([^)]+\.test\.ts)\)/g)].flatMap(([, name = '', link = '']) => {
    const file = posix.join(posix.dirname(page), link)
    const title = name.replace(/\\(.)/g, '$1')
    // A quote in a literal is escaped in its source.
    const isThere = house.has(file) && house.read(file).replaceAll("\\'", "'").includes(title)
    return isThere ? [] : [`${page}: ${file} has no test "${title}"`]
  })
}

function incompleteRows(text: string): string[] {
  const rows = new Map(
    [...text.matchAll(/^\| (V\d+\.\d+\.\d+) +\| (\d) +\|[^|]*\| (.*?) *\|$/gm)].map(
      ([, id = '', level = '', shown = '']) => [id, { level: Number(level), shown }],
    ),
  )
  const missing = Object.entries(sections).flatMap(([section, [count, ...levelThree]]) =>
    Array.from({ length: count }, (_none, index) => index + 1).flatMap((number) => {
      const row = rows.get(`${section}.${number}`)
      const isThree = levelThree.includes(number)
      if (!row) return isThree ? [] : [`${page}: has no row for ${section}.${number}`]
      return row.shown !== '' && (row.level === 3) === isThree ? [] : [`${page}: ${section}.${number} is not complete`]
    }),
  )
  const strange = [...rows.keys()].filter((id) => {
    const [, section = '', number = ''] = /^(V\d+\.\d+)\.(\d+)$/.exec(id) ?? []
    return Number(number) > (sections[section]?.[0] ?? 0)
  })
  return [...missing, ...strange.map((id) => `${page}: ASVS 5.0.0 has no ${id} among its sections here`)]
}
