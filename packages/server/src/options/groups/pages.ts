import type { DevelopmentPages } from '../../settings/development-pages.ts'
import type { PageOptions } from '../../settings/page-settings.ts'

/** The name, colors and languages of pages such as `/sign-in` and `/account`, and the pages for development. */
export interface PagesOptions extends PageOptions {
  /**
   * A start page at `/` and GraphiQL at `/graphiql`, by `createDevelopmentPages` of `@latchkey/server/node`. Refused in
   * production. Omitted: there are none.
   */
  readonly development?: DevelopmentPages
}
