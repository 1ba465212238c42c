import { posix } from 'node:path'
import type { House } from '../house/house.ts'

/** The page that says which test shows what. */
const page = 'docs/security.md'

/** Every test that the page on security names is in the file that it links. */
export function checkProofs(house: House): string[] {
  if (!house.has(page)) return []
  return [...house.read(page).matchAll(/\[((?:\\.|[^\]\\])*)\]\(([^)]+\.test\.ts)\)/g)].flatMap(
    ([, name = '', link = '']) => {
      const file = posix.join(posix.dirname(page), link)
      const title = name.replace(/\\(.)/g, '$1')
      // A quote in a literal is escaped in its source.
      const isThere = house.has(file) && house.read(file).replaceAll("\\'", "'").includes(title)
      return isThere ? [] : [`${page}: ${file} has no test "${title}"`]
    },
  )
}
