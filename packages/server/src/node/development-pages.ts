import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { checkOptionNames } from '@latchkey/core/internal'
import type { Inline } from '../options/inline.ts'
import { type DevelopmentPages, graphiqlFiles } from '../options/pages/development-pages.ts'

/**
 * Creates the pages for development of `createServer`: a start page at `/` and GraphiQL at `/graphiql`. GraphiQL is
 * served offline from your own packages: `npm install --save-dev graphiql@3 react@18 react-dom@18 graphql-sse`.
 * `createServer` refuses these pages in production.
 *
 * @throws TypeError for an unknown option.
 *
 * @example
 * import { createDevelopmentPages } from '@latchkey/server/node'
 * const developmentPages = createDevelopmentPages() // createServer({ pages: { development: developmentPages }, … })
 */
export function createDevelopmentPages(
  options: {
    /**
     * A folder of your project, from which `graphiql`, `react`, `react-dom` and `graphql-sse` are looked for.
     * @default process.cwd()
     */
    readonly folder?: string
  } = {},
): Inline<DevelopmentPages> {
  const { folder = process.cwd() } = checkOptionNames('createDevelopmentPages', options, { folder: true })
  const fromProject = createRequire(resolve(folder, 'package.json'))
  return {
    async readFile(file) {
      const [name, path] = graphiqlFiles[file]
      const found = folderOf(name, fromProject)
      return found === null ? null : readFile(join(found, path)).catch(() => null)
    },
  }
}

/** The folder of a package, or `null` if it cannot be resolved. */
function folderOf(name: string, { resolve: find }: NodeJS.Require): string | null {
  try {
    return dirname(find(`${name}/package.json`))
  } catch {
    return null
  }
}
