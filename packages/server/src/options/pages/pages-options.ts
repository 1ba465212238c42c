import type { DevelopmentPages } from './development-pages.ts'
import type { PageOptions } from './page-settings.ts'

/** The name, colors and languages of pages such as `/sign-in`, and pages for development. */
export interface PagesOptions extends PageOptions {
  /**
   * A start page at `/` and GraphiQL at `/graphiql`: `createDevelopmentPages()` of `@latchkey/server/node`. A `TypeError` in
   * production. Omitted: no such pages.
   */
  readonly development?: DevelopmentPages
}
