/** A file of GraphiQL, by the name under which its page loads it. */
export type GraphiqlFile = Parameters<DevelopmentPages['readFile']>[0]

/** Where each file is found, and its media type. */
export const graphiqlFiles: Readonly<Record<GraphiqlFile, readonly [name: string, file: string, type: string]>> = {
  'react.js': ['react', 'umd/react.production.min.js', 'text/javascript'],
  'react-dom.js': ['react-dom', 'umd/react-dom.production.min.js', 'text/javascript'],
  'graphiql.js': ['graphiql', 'graphiql.min.js', 'text/javascript'],
  'graphiql.css': ['graphiql', 'graphiql.min.css', 'text/css'],
  'graphql-sse.js': ['graphql-sse', 'umd/graphql-sse.min.js', 'text/javascript'],
}

/** A start page and GraphiQL for development, with files from the application's own packages. */
export interface DevelopmentPages {
  /** Returns a file of GraphiQL; `null`: the package that has it is not installed. */
  readFile(
    name: 'react.js' | 'react-dom.js' | 'graphiql.js' | 'graphiql.css' | 'graphql-sse.js',
  ): Promise<Uint8Array | null>
}

/** @throws TypeError in production, and when the pages are something else. */
export function checkDevelopmentPages(pages: DevelopmentPages | undefined, environment: string): void {
  if (pages === undefined) return
  if (environment === 'production') throw new TypeError('"pages.development" is refused in production')
  if (typeof pages?.readFile !== 'function') {
    throw new TypeError('"pages.development" must be what createDevelopmentPages of @latchkey/server/node returned')
  }
}
