import { checkOptionNames } from '@latchkey/core/internal'
import { isLocalPath } from '@latchkey/http'
import { checkPageTexts } from '../../page-kit/texts/check-page-texts.ts'
import { chooseLanguage, chooseLocale } from '../../page-kit/texts/choose-language.ts'
import { englishPageTexts } from '../../page-kit/texts/english.ts'
import type { PageTexts } from '../../page-kit/texts/page-texts.ts'
import { readTheme, type ThemeStyle } from './page-theme.ts'
import type { PagesOptions } from './pages-options.ts'

/** The options of the pages, checked. */
export interface PageSettings {
  readonly name: string | null
  readonly logo: string | null
  /** The home of the application: a path of this service, or a URL. */
  readonly home: string
  /** Whether the application has said so. */
  readonly isHomeGiven: boolean
  /** The origin of a URL, to which forms may lead; `null`: the home is a path. */
  readonly homeOrigin: string | null
  /** The allowed origins of `return_to`, the origin of the pages first. */
  readonly origins: readonly string[]
  readonly style: ThemeStyle
  /** Returns the language and the texts for a browser. */
  speak(acceptLanguage: string | null): Speech
}

/** The language of a page. */
export interface Speech {
  readonly language: string
  /** The language with the reader's region, for dates: `en-GB` for pages in `en`. */
  readonly locale: string
  readonly texts: PageTexts
  /** The application's words for scopes. */
  readonly scopes: ReadonlyMap<string, string>
}

const known = {
  name: true,
  logo: true,
  home: true,
  theme: true,
  language: true,
  translations: true,
  scopes: true,
} as const

/** @throws TypeError that names the option that cannot be used. */
export function readPageSettings(
  options: Omit<PagesOptions, 'development'> = {},
  origins: readonly string[] = [],
): PageSettings {
  checkOptionNames('createServer', options, known, 'pages')
  const { name = null, logo = null, theme } = options
  if (name !== null && !isName(name)) throw new TypeError('"pages.name" must be a text of 1 to 60 characters')
  if (logo !== null && !isLogo(logo)) {
    throw new TypeError('"pages.logo" must be a path of this service, or a data: URL of an image in base64')
  }
  const tables = readTables(options)
  const scopes = readScopes(options, tables)
  const languages = [...tables.keys()] as [string, ...string[]]
  return {
    name,
    logo,
    ...readHome(options.home),
    origins,
    style: readTheme(theme),
    speak(acceptLanguage) {
      const language = chooseLanguage(acceptLanguage, languages)
      const texts = tables.get(language) ?? englishPageTexts
      const locale = chooseLocale(acceptLanguage, language)
      return { language, locale, texts, scopes: scopes.get(language) ?? new Map() }
    },
  }
}

/** Matches URLs without a user and with a host that a policy can name: the URL parser accepts `*` and `;` in hosts. */
const plainUrl = /^https?:\/\/[\w.:[\]-]+\//

/** A home there would be an endless redirect, whichever host it names. */
const leadHome: ReadonlySet<string> = new Set(['/sign-in', '/second-factor'])

/** Reads the home from the application's options: no part of a request can redirect to another site. */
function readHome(home: unknown): Pick<PageSettings, 'home' | 'isHomeGiven' | 'homeOrigin'> {
  if (home === undefined) return { home: '/account', isHomeGiven: false, homeOrigin: null }
  const isPath = typeof home === 'string' && isLocalPath(home)
  const url = typeof home === 'string' ? URL.parse(home, isPath ? 'http://localhost' : undefined) : null
  if (!url || !plainUrl.test(url.href)) {
    throw new TypeError('"pages.home" must be a path of this service such as "/notes", or an http or https URL')
  }
  if (leadHome.has(url.pathname))
    throw new TypeError(`"pages.home" must not be ${url.pathname}, which leads to the home`)
  return { home: isPath ? home : url.href, isHomeGiven: true, homeOrigin: isPath ? null : url.origin }
}

/** Returns the texts by language, the default language first. */
function readTables({
  language = 'en',
  translations = {},
}: Omit<PagesOptions, 'development'>): ReadonlyMap<string, PageTexts> {
  if (typeof translations !== 'object' || translations === null) {
    throw new TypeError('"pages.translations" must be tables of sentences by language')
  }
  const tables = new Map<string, PageTexts>()
  for (const [tag, texts] of Object.entries(translations)) {
    if (!isLanguage(tag)) throw new TypeError(`"pages.translations": "${tag}" is not the tag of a language, like "de"`)
    tables.set(tag, checkPageTexts(`pages.translations.${tag}`, texts))
  }
  const first = tables.get(language) ?? (language === 'en' ? englishPageTexts : null)
  if (!first) throw new TypeError('"pages.language" must be "en" or a language of "pages.translations"')
  return new Map([[language, first], ...tables])
}

/** The words of scopes by language. */
function readScopes(
  { scopes = {} }: Omit<PagesOptions, 'development'>,
  languages: ReadonlyMap<string, PageTexts>,
): ReadonlyMap<string, ReadonlyMap<string, string>> {
  if (!isTable(scopes)) throw new TypeError('"pages.scopes" must be words of scopes by language')
  const read = Object.entries(scopes).map(([language, words]) => {
    if (!languages.has(language)) throw new TypeError(`"pages.scopes": the pages do not speak "${language}"`)
    if (!isTable(words)) throw new TypeError(`"pages.scopes.${language}" must be words by scope`)
    const fault = Object.entries(words).find(([, text]) => typeof text !== 'string' || text.trim() === '')
    if (fault) throw new TypeError(`"pages.scopes.${language}" must have words for "${fault[0]}"`)
    return [language, new Map(Object.entries(words))] as const
  })
  return new Map(read)
}

function isTable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isName(name: unknown): boolean {
  return typeof name === 'string' && /^(?=.*\S)[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,60}$/u.test(name) && name.isWellFormed()
}

function isLogo(logo: unknown): boolean {
  if (typeof logo !== 'string') return false
  return /^(?:\/(?!\/)[\w./~%?=&-]{1,500}|data:image\/(?:png|jpeg|webp|svg\+xml);base64,[\w+/]{1,65536}={0,2})$/.test(
    logo,
  )
}

/** Written as `Intl` writes it: `de`, `pt-BR`. */
function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag)[0] === tag
  } catch {
    return false
  }
}
