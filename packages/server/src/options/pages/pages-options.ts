import type { PageTexts } from '../../page-kit/texts/page-texts.ts'
import type { Inline } from '../inline.ts'
import type { DevelopmentPages } from './development-pages.ts'
import type { PageTheme } from './page-theme.ts'

/**
 * The name, colors and languages of pages, for example `/sign-in`, and pages for development. The options cannot add
 * scripts, styles or addresses of other sites.
 */
export interface PagesOptions {
  /** The name above every page and in its title, at most 60 characters. Omitted: no name is shown. */
  readonly name?: string
  /**
   * A picture next to the name: a path of this service, for example `/logo.svg`, or a `data:image/…` URL. Omitted: no
   * picture.
   */
  readonly logo?: string
  /**
   * The home of the application: a path of this service, for example `/notes`, or an http or https URL. A sign-in
   * without `return_to` and the name above every page lead there. A sign-out leads there only if this option is given,
   * otherwise to `/sign-in`. `/sign-in` and `/second-factor` are refused, because they redirect to the home.
   * @default '/account'
   */
  readonly home?: string
  /** Colours, corners and fonts. Omitted: the default theme. */
  readonly theme?: PageTheme
  /**
   * The language for browsers that prefer no available language: `en`, or a language of `translations`.
   * @default 'en'
   */
  readonly language?: string
  /**
   * The texts of the pages by language tag (BCP 47). Each table has all texts. If `language` is not `en`, English needs
   * `en: englishPageTexts`.
   */
  readonly translations?: Readonly<Record<string, PageTexts>>
  /**
   * Words for scopes by language tag and scope: `{ en: { 'articles:read': 'Read articles' } }`. Without words in the
   * language of a page, permissions are shown by name; `openid`, `profile`, `email`, `offline_access` and
   * `online_access` have words of their own.
   */
  readonly scopes?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /**
   * A start page at `/` and GraphiQL at `/graphiql`: `createDevelopmentPages()` of `@latchkey/server/node`. A `TypeError` in
   * production. Omitted: no such pages.
   */
  readonly development?: Inline<DevelopmentPages>
}
