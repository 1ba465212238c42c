import type { Account } from '@latchkey/accounts'
import type { ListedFactor } from '@latchkey/accounts/internal'
import { AccessError } from '@latchkey/graphql'
import type { HttpResponse } from '@latchkey/http'
import type { Identity } from '@latchkey/rbac'
import { listKeys } from '../../page-kit/api-keys.ts'
import { listApplications } from '../../page-kit/applications.ts'
import { dateOf } from '../../page-kit/html/date-of.ts'
import { problem } from '../../page-kit/html/field.ts'
import { fill, type Html, html, nothing } from '../../page-kit/html/html.ts'
import { createPage, type PageFrame } from '../../page-kit/html/page.ts'
import type { Page, PageParts } from '../../page-kit/page-parts.ts'
import { authenticatedRule } from '../../page-kit/page-rules.ts'
import { showImpersonation } from './impersonation-page.ts'

/** Shows the account, with links to the pages that change it. */
export const accountPage: Page = {
  async show(_request, parts) {
    const { accounts, authorize, identity } = parts
    if (identity && identity.impersonator !== null) return showImpersonation(parts)
    const { subject, mustEnroll, enrollmentDueAt } = authorize(authenticatedRule)
    const [account, factors, applications, keys] = await Promise.all([
      accounts.get(subject),
      accounts.listFactors(subject),
      listApplications(parts, subject, 'account'),
      listKeys(parts, subject, 'account'),
    ])
    // The account was removed after the identity was established.
    if (!account) throw new AccessError('UNAUTHENTICATED')
    return showAccount(parts, account, { factors, applications, keys, mustEnroll, enrollmentDueAt })
  },
}

interface AccountSections extends Pick<Identity, 'mustEnroll' | 'enrollmentDueAt'> {
  readonly factors: readonly ListedFactor[]
  readonly applications: Html
  readonly keys: Html
}

function showAccount(parts: PageParts, account: Account, sections: AccountSections): HttpResponse {
  const { frame, offers } = parts
  const { texts } = frame
  const { factors, applications, keys, ...asked } = sections
  const body = html`${whatIsAsked(parts, asked)}${whoIsSignedIn(frame, account)}${offers.totp || offers.passkeys ? listFactors(parts, factors) : nothing}${listOwn(parts, asked.mustEnroll)}${applications}${keys}<form method="post" action="/sign-out">
<button type="submit" class="quiet">${texts['account.sign-out']}</button>
</form>`
  return createPage(frame, { title: texts['account.title'], body })
}

/** Shows name, address and roles, with a link to the application. */
function whoIsSignedIn({ texts, locale, settings: { home } }: PageFrame, { name, email, roles }: Account): Html {
  const [who, where] = [html`<strong>${name}</strong>`, html`<strong>${email}</strong>`]
  const listed = new Intl.ListFormat(locale, { type: 'unit' }).format(roles)
  const role = html`<p>${fill(texts['account.role'], { role: html`<bdi>${listed}</bdi>` })}</p>\n`
  const cancelLink = html`<p><a href="${home}">${texts['account.home']}</a></p>\n`
  return html`<p>${fill(texts['account.signed-in-as'], { name: who, email: where })}</p>
${roles.length > 0 ? role : nothing}${home === '/account' ? nothing : cancelLink}`
}

/** Says that a second factor must be set up, and until when. */
function whatIsAsked(
  { frame }: PageParts,
  { mustEnroll, enrollmentDueAt }: Pick<AccountSections, 'mustEnroll' | 'enrollmentDueAt'>,
): Html {
  const { texts } = frame
  if (mustEnroll) return problem(texts['account.enrollment-overdue'])
  if (enrollmentDueAt === null) return nothing
  return html`<p>${fill(texts['account.enrollment-due'], { date: dateOf(frame, enrollmentDueAt) })}</p>
`
}

/** Links to the pages that change the account. If a second factor is due, its page comes first. */
function listOwn({ frame: { texts }, offers }: PageParts, mustEnroll: boolean): Html {
  const listed = [
    ['account.devices', '/devices', true],
    ['account.providers', '/account/providers', offers.providers && !mustEnroll],
    ['account.keys', '/account/keys', offers.apiKeys && !mustEnroll],
    ['account.name', '/account/name', !mustEnroll],
    ['account.email', '/account/email', offers.email && !mustEnroll],
    ['account.password', '/account/password', !mustEnroll],
    ['account.export', '/account/export', !mustEnroll],
    ['account.deletion', '/account/delete', offers.deletion && !mustEnroll],
  ] as const
  const items = listed.map(([text, path, isThere]) =>
    isThere ? html`<li><a href="${path}">${texts[text]}</a></li>\n` : nothing,
  )
  return html`<h2>${texts['account.own']}</h2>
<ul>
${items}</ul>
`
}

/** The names of the kinds, in the order in which people set them up. */
const rows = [
  ['totp', 'account.totp', '/account/totp'],
  ['passkey', 'account.passkeys', '/account/passkeys'],
  ['recovery-code', 'account.recovery-codes', '/account/recovery-codes'],
] as const

function listFactors({ frame, offers }: PageParts, factors: readonly ListedFactor[]): Html {
  const { texts } = frame
  const isOffered = { totp: offers.totp, passkey: offers.passkeys, 'recovery-code': false }
  const items = rows.flatMap(([kind, text, path]) => {
    const found = factors.find((factor) => factor.kind === kind)
    if (!found && !isOffered[kind]) return []
    const state = found
      ? fill(texts[found.isDisabled ? 'account.factor-disabled' : 'account.factor-since'], {
          date: dateOf(frame, found.createdAt),
        })
      : texts['account.factor-none']
    return [html`<li><a href="${path}">${texts[text]}</a>: ${state}</li>\n`]
  })
  return html`<h2>${texts['account.factors']}</h2>
<p>${texts['account.factors-why']}</p>
<ul>
${items}</ul>
`
}
