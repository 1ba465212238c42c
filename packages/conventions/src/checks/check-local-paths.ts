import type { House } from '../house/house.ts'

const homes = /(?<![\w.~-])\/(home|Users|work|root)\/[\w.-]+|\b[A-Z]:\\Users\\/
const texts = /\.(ts|mts|js|mjs|json|md|yml|yaml|sh|html|sql|txt|graphql)$|(^|\/)(run|LICENSE|\.gitignore)$/

/** Texts are about the product and hold no path of one computer. */
export function checkLocalPaths(house: House): string[] {
  return house.files
    .filter((path) => texts.test(path) && path !== 'pnpm-lock.yaml')
    .flatMap((path) =>
      house
        .read(path)
        .split('\n')
        .flatMap((line, index) => {
          const found = homes.exec(line)
          return found ? [`${path}:${index + 1}: a path of one computer: ${found[0]}`] : []
        }),
    )
}
