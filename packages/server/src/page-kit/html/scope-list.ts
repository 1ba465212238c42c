import { type Html, html } from './html.ts'
import type { PageFrame } from './page.ts'

const ownScopes = {
  openid: 'scope.openid',
  profile: 'scope.profile',
  email: 'scope.email',
  offline_access: 'scope.offline_access',
  online_access: 'scope.online_access',
} as const

/** Returns a list of scopes in words. */
export function scopeList(frame: PageFrame, scopes: readonly string[]): Html {
  return html`<ul>
${scopes.map((scope) => html`<li>${scopeWords(frame, scope)}</li>\n`)}</ul>
`
}

/** Returns what a scope allows: the words of the application first; a permission without words is shown by its name. */
export function scopeWords({ texts, scopes }: PageFrame, scope: string): string | Html {
  const words = scopes.get(scope)
  if (words !== undefined) return words
  return isOwn(scope) ? texts[ownScopes[scope]] : html`<code>${scope}</code>`
}

function isOwn(scope: string): scope is keyof typeof ownScopes {
  return Object.hasOwn(ownScopes, scope)
}
