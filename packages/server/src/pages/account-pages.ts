import { type Accounts, AccountsError } from '@latchkey/accounts'
import type { AddressReader, HttpReply, HttpRequest, SecurityHeaders } from '@latchkey/http'
import { explainRefusal } from '../accounts-schema/explain-refusal.ts'
import { readAttempt } from '../accounts-schema/shown-credentials.ts'
import { html } from './html.ts'
import { createPage } from './page.ts'
import { readForm } from './read-form.ts'

/** What a page needs. */
export interface PageParts {
  readonly security: SecurityHeaders
  readonly accounts: Accounts
}

/** The page to which the link of a mail leads. */
export interface AccountPage {
  /** Shows a form with the token of the link, or that the link is not valid. The link stays usable. */
  show(target: string, parts: PageParts): Promise<HttpReply>
  /** Handles the form. */
  take(request: HttpRequest, parts: PageParts & { readonly addresses: AddressReader }): Promise<HttpReply>
}

/** The pages by name, which is their path. */
export const accountPages: Readonly<Record<'verify' | 'reset', AccountPage>> = {
  verify: {
    async show(target, { security, accounts }) {
      const token = tokenOf(target)
      const { ok } = await accounts.checkLink({ purpose: 'verify-email', token })
      return ok ? askToVerify(security, token) : deadLink(security)
    },
    async take(request, { security, addresses, accounts }) {
      const attempt = readAttempt(request, { addresses, channel: 'page' })
      const form = await readForm(request)
      const { ok } = await accounts.verifyEmail({ token: form?.get('token') ?? '', attempt })
      if (!ok) return deadLink(security)
      const body = html`<p>You can sign in now. If another mail asks you to choose a password, do that first.</p>`
      return createPage(security, { title: 'Your address is confirmed', body })
    },
  },
  reset: {
    async show(target, { security, accounts }) {
      const token = tokenOf(target)
      const { ok } = await accounts.checkLink({ purpose: 'reset-password', token })
      return ok ? askForPassword(security, token, null) : deadLink(security)
    },
    async take(request, { security, addresses, accounts }) {
      const attempt = readAttempt(request, { addresses, channel: 'page' })
      const form = await readForm(request)
      const token = form?.get('token') ?? ''
      try {
        const { ok } = await accounts.resetPassword({ token, newPassword: form?.get('password') ?? '', attempt })
        if (!ok) return deadLink(security)
        const body = html`<p>All devices were signed out. You can sign in with the new password now.</p>`
        return createPage(security, { title: 'Your password is changed', body })
      } catch (error) {
        if (error instanceof AccountsError) return askForPassword(security, token, error)
        throw error
      }
    },
  },
}

function deadLink(security: SecurityHeaders): HttpReply {
  const body = html`<p>It was used before, its time is over, or a part of it is missing. Ask for a new one.</p>`
  return createPage(security, { status: 400, title: 'This link no longer works', body })
}

function askToVerify(security: SecurityHeaders, token: string): HttpReply {
  const body = html`<p>One click, and you can sign in.</p>
<form method="post" action="/verify">
<input type="hidden" name="token" value="${token}">
<button type="submit">Confirm this address</button>
</form>`
  return createPage(security, { title: 'Confirm your address', body })
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

function tokenOf(target: string): string {
  const queryAt = target.indexOf('?')
  return new URLSearchParams(queryAt < 0 ? '' : target.slice(queryAt)).get('token') ?? ''
}
