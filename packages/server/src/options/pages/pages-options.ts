import type { PageTexts } from '../../page-kit/texts/page-texts.ts'
import type { Inline } from '../inline.ts'
import type { DevelopmentPages } from './development-pages.ts'
import type { PageTheme } from './page-theme.ts'

/**
 * The name, colors and languages of pages such as `/sign-in`, and pages for development. Nothing in it can add a script, a
 * style or an address of others.
 */
export interface PagesOptions {
  /** Stands above every page and in its title, at most 60 characters. Omitted: no name is shown. */
  readonly name?: string
  /** A picture beside the name: a path of this service such as `/logo.svg`, or a `data:image/…` URL. Omitted: none. */
  readonly logo?: string
  /**
   * Where the application begins: a path of this service such as `/notes`, or an http or https URL. A sign-in without
   * `return_to` leads there, and so does the name above every page. A sign-out leads there only if it is given, otherwise to
   * `/sign-in`. Not `/sign-in` or `/second-factor`, which lead to the home.
   * @default '/account'
   */
  readonly home?: string
  /** Colours, corners and fonts. Omitted: those of the pages. */
  readonly theme?: PageTheme
  /**
   * The language where a browser prefers none of those that there are: `en`, or one of `translations`.
   * @default 'en'
   */
  readonly language?: string
  /**
   * What the pages say, by language tag (BCP 47). Each has all sentences. Where `language` is another one, there is English
   * only with `en: englishPageTexts`.
   */
  readonly translations?: Readonly<Record<string, PageTexts>>
  /**
   * What scopes allow, in words, by language tag and scope: `{ en: { 'articles:read': 'Read articles' } }`. Omitted, or
   * without words in the language of a page: `openid`, `profile`, `email`, `offline_access` and `online_access` have words, permissions
   * are shown by their names.
   */
  readonly scopes?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /**
   * A start page at `/` and GraphiQL at `/graphiql`: `createDevelopmentPages()` of `@latchkey/server/node`. A `TypeError` in
   * production. Omitted: no such pages.
   */
  readonly development?: Inline<DevelopmentPages>
}
