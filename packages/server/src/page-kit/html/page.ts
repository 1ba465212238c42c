import type { HttpRequest, HttpResponse, SecurityHeaders } from '@latchkey/http'
import type { PageSettings, Speech } from '../../options/pages/page-settings.ts'
import { englishPageTexts } from '../texts/english.ts'
import { type Html, html, nothing, trusted } from './html.ts'
import { pageStyle } from './page-style.ts'

/** The common parts of all pages for a request: style and language. */
export interface PageFrame extends Speech {
  readonly security: SecurityHeaders
  readonly settings: PageSettings
}

export interface PageContent {
  /** @default 200 */
  readonly status?: number
  readonly title: string
  readonly body: Html
  readonly headers?: HttpResponse['headers']
  /** The text of a script, without anything that a user or an option can choose. Omitted: none runs. */
  readonly script?: string
  /**
   * Where else than here its forms may lead: origins, or schemes of applications.
   * @default []
   */
  readonly formTargets?: readonly string[]
}

export interface FrameParts {
  readonly security: SecurityHeaders
  readonly pages: PageSettings
}

/** Returns the frame for a request. */
export function frameFor(request: Pick<HttpRequest, 'headers'>, { security, pages }: FrameParts): PageFrame {
  return { security, settings: pages, ...pages.speak(request.headers.get('accept-language') ?? null) }
}

/** Returns the frame of pages for developers, which speak English. */
export function englishFrame({ security, pages }: FrameParts): PageFrame {
  return { security, settings: pages, language: 'en', locale: 'en', texts: englishPageTexts, scopes: new Map() }
}

/** Returns a page: it works in light and dark, by keyboard, at any text size and on a phone. */
export function createPage(frame: PageFrame, content: PageContent): HttpResponse {
  const { security, language } = frame
  const { status = 200, headers = [] } = content
  const nonce = security.newNonce()
  const document = html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${titleOf(frame, content)}</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">
:root { ${trusted(frame.settings.style)} }${trusted(pageStyle)}</style>
</head>
<body>
${headerOf(frame)}<main>
<h1>${content.title}</h1>
${content.body}
</main>
${scriptOf(content, nonce)}</body>
</html>
`
  const type = ['Content-Type', 'text/html; charset=utf-8'] as const
  return { status, headers: [type, ...headers, ...policyOf(frame, content, nonce)], body: document.toString() }
}

/** Allows the forms to redirect to the home and to `return_to`, because browsers apply `form-action` to redirects. */
function policyOf(
  { security, settings: { homeOrigin, origins } }: PageFrame,
  { formTargets = [] }: PageContent,
  nonce: string,
): HttpResponse['headers'] {
  const own = [...(homeOrigin === null ? [] : [homeOrigin]), ...origins.slice(1)]
  if (own.length === 0) return security.page(nonce, { formTargets })
  const headers = security.page(nonce, { formTargets: [...new Set([...own, ...formTargets])] })
  // Unlike a client, the application does not wait in the window that has opened the page.
  return formTargets.length > 0 ? headers : [['Cross-Origin-Opener-Policy', 'same-origin'], ...headers]
}

function titleOf({ settings: { name } }: PageFrame, { title }: PageContent): string {
  return name === null ? title : `${title} · ${name}`
}

function headerOf({ settings: { name, logo, home }, texts }: PageFrame): Html {
  if (name === null && logo === null) return nothing
  // Next to the name the picture is decorative.
  const picture =
    logo === null ? nothing : html`<img src="${logo}" alt="${name === null ? texts['account.home'] : ''}">`
  return html`<header><a href="${home}">${picture}${name ?? ''}</a></header>
`
}

function scriptOf({ script }: PageContent, nonce: string): Html {
  return script === undefined
    ? nothing
    : html`<script nonce="${nonce}">${trusted(script)}</script>
`
}

const rightToLeft: ReadonlySet<string> = new Set(['ar', 'ckb', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi'])

function directionOf(language: string): 'ltr' | 'rtl' {
  return rightToLeft.has(language.split('-', 1)[0] ?? '') ? 'rtl' : 'ltr'
}
