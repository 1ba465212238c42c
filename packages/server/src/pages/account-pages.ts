import { type Accounts, type AccountsError, isAccountsError, type LinkedSignUp } from '@latchkey/accounts'
import type { AddressReader, HttpReply, HttpRequest, RequestIds, SecurityHeaders } from '@latchkey/http'
import { explainRefusal } from '../accounts-schema/explain-refusal.ts'
import { readAttempt } from '../accounts-schema/shown-credentials.ts'
import type { ServiceCookies } from '../settings/service-cookies.ts'
import { html } from './html.ts'
import { createPage } from './page.ts'
import { readForm } from './read-form.ts'

/** What a page needs. */
export interface PageParts {
  readonly security: SecurityHeaders
  readonly cookies: ServiceCookies
  readonly accounts: Accounts
  readonly addresses: AddressReader
  readonly requestIds: RequestIds
}

/** The page to which the link of a mail leads. */
export interface AccountPage {
  /** Shows a form with the token of the link, or that the link is not valid. The link stays usable. */
  show(request: HttpRequest, parts: PageParts): Promise<HttpReply>
  /** Handles the form. */
  take(request: HttpRequest, parts: PageParts): Promise<HttpReply>
}

/** The pages by name, which is their path. */
export const accountPages: Readonly<Record<'verify' | 'reset', AccountPage>> = {
  verify: {
    async show(request, parts) {
      const { security, cookies, accounts } = parts
      const attempt = readAttempt(request, parts, 'page')
      const token = tokenOf(request.target)
      const browserSecret = cookies.signUp.read(request.header('cookie'))
      const link = await accounts.checkLink({ purpose: 'verify-email', token, browserSecret, attempt })
      return link.ok && link.signUp ? askToVerify(security, token, link.signUp) : deadLink(security)
    },
    async take(request, parts) {
      const { security, cookies, accounts } = parts
      const attempt = readAttempt(request, parts, 'page')
      const form = await readForm(request)
      const [token, password] = [form?.get('token') ?? '', form?.get('password') || null]
      const browserSecret = cookies.signUp.read(request.header('cookie'))
      const verified = await accounts.verifyEmail({ token, password, browserSecret, attempt })
      return verified.ok ? confirmed(security, verified) : deadLink(security)
    },
  },
  reset: {
    async show(request, parts) {
      const { security, accounts } = parts
      const attempt = readAttempt(request, parts, 'page')
      const token = tokenOf(request.target)
      const { ok } = await accounts.checkLink({ purpose: 'reset-password', token, attempt })
      return ok ? askForPassword(security, token, null) : deadLink(security)
    },
    async take(request, parts) {
      const { security, cookies, accounts } = parts
      const attempt = readAttempt(request, parts, 'page')
      const form = await readForm(request)
      const [token, newPassword] = [form?.get('token') ?? '', form?.get('password') ?? '']
      try {
        const result = await accounts.resetPassword({ token, newPassword, attempt })
        return result.ok ? passwordChanged({ security, cookies }, result.deviceToken) : deadLink(security)
      } catch (error) {
        if (isAccountsError(error)) return askForPassword(security, token, error)
        throw error
      }
    },
  },
}

function deadLink(security: SecurityHeaders): HttpReply {
  const body = html`<p>It was used before, its time is over, or a part of it is missing. Ask for a new one.</p>`
  return createPage(security, { status: 400, title: 'This link no longer works', body })
}

/** The name was chosen at the sign-up, perhaps by a stranger: it is shown before it is confirmed. */
function askToVerify(
  security: SecurityHeaders,
  token: string,
  { email, name, keepsPassword }: LinkedSignUp,
): HttpReply {
  const field = html`<label for="password">Your password, if you signed up in another browser</label>
<input id="password" name="password" type="password" autocomplete="current-password" aria-describedby="hint">
<p id="hint">It is the one that you chose when you signed up. Leave it empty if you have not chosen one: another mail lets you do that.</p>
`
  const body = html`<p>The account of <strong>${name}</strong> is opened for <strong>${email}</strong>. If you did not ask for it, close this page.</p>
<form method="post" action="/verify">
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="username" value="${email}" autocomplete="username">
${keepsPassword ? '' : field}<button type="submit">Confirm this address</button>
</form>`
  return createPage(security, { title: 'Confirm your address', body })
}

function confirmed(security: SecurityHeaders, { hasPassword }: { readonly hasPassword: boolean }): HttpReply {
  const body = hasPassword
    ? html`<p>You can sign in now.</p>`
    : html`<p>Your account has no password yet. Another mail has a link to choose one: then you can sign in.</p>`
  return createPage(security, { title: 'Your address is confirmed', body })
}

function askForPassword(security: SecurityHeaders, token: string, refused: AccountsError | null): HttpReply {
  const problem = refused && html`<p class="problem" id="problem" role="alert">${explainRefusal(refused)}</p>\n`
  const isWrong = refused && html` aria-invalid="true" aria-describedby="problem"`
  const body = html`${problem ?? ''}<form method="post" action="/reset">
<input type="hidden" name="token" value="${token}">
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required${isWrong ?? ''}>
<button type="submit">Change the password</button>
</form>`
  return createPage(security, { status: refused ? 400 : 200, title: 'Choose a new password', body })
}

function passwordChanged(
  { security, cookies }: Pick<PageParts, 'security' | 'cookies'>,
  deviceToken: string | null,
): HttpReply {
  const headers = deviceToken === null ? [] : [['Set-Cookie', cookies.device.write(deviceToken)] as const]
  const body = html`<p>All devices were signed out. You can sign in with the new password now.</p>`
  return createPage(security, { title: 'Your password is changed', body, headers })
}

function tokenOf(target: string): string {
  const queryAt = target.indexOf('?')
  return new URLSearchParams(queryAt < 0 ? '' : target.slice(queryAt)).get('token') ?? ''
}
