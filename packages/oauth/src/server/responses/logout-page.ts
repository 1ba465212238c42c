import { escapeHtml, type HttpResponse } from '@latchkey/http'
import { plainPage } from './error-page.ts'
import type { Responses } from './responses.ts'

/** The data of the logout page. */
export type LogoutPage =
  /** Asks whether to sign out: a form that posts `fields` to `action`. */
  | {
      readonly step: 'ask'
      readonly action: string
      readonly fields: Readonly<Record<string, string>>
      /** The name of the client that requests the logout; `null`: unknown. */
      readonly clientName: string | null
      /** The origins for `form-action`, in addition to `'self'`. */
      readonly formTargets: readonly string[]
    }
  /** The user is signed out. */
  | { readonly step: 'done' }

/** The default logout pages. */
export function plainLogoutPage({ page }: Responses, shown: LogoutPage): HttpResponse {
  if (shown.step === 'done')
    return page(200, (nonce) => plainPage(nonce, 'You’re signed out', '<p>You can close this page.</p>'))
  const { action, fields, clientName, formTargets } = shown
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  )
  const asks = `<p>${clientName === null ? 'An app' : escapeHtml(clientName)} wants to sign you out here, too.</p>`
  const form = `<form method="post" action="${escapeHtml(action)}">${inputs.join('')}<button>Sign out</button></form>`
  return page(200, (nonce) => plainPage(nonce, 'Sign out?', `${asks}${form}`), { formTargets })
}
