import { posix } from 'node:path'
import type { House } from '../house/house.ts'

/** The pages that say which test shows what. */
const isPage = (path: string) => /^docs\/security(\/.+)?\.md$/.test(path)

/** Every test that the pages on security name is in the file that they link. */
export function checkProofs(house: House): string[] {
  return house.files.filter(isPage).flatMap((page) => proofsOf(house, page))
}

function proofsOf(house: House, page: string): string[] {
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
