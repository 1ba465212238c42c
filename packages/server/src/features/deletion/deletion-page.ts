import { canonicalEmail, isAccountsError } from '@latchkey/accounts'
import { AccessError } from '@latchkey/graphql'
import type { HttpRequest, HttpResponse } from '@latchkey/http'
import { readForm } from '../../page-kit/forms/read-form.ts'
import { field, problem } from '../../page-kit/html/field.ts'
import { fill, type Html, html } from '../../page-kit/html/html.ts'
import { createPage, type PageFrame } from '../../page-kit/html/page.ts'
import { cancelLink, proofQuestion } from '../../page-kit/html/proof-question.ts'
import { ownAccount } from '../../page-kit/own-account.ts'
import type { Page, PageParts } from '../../page-kit/page-parts.ts'
import { freshFactor, hasFreshProof, withFreshProof } from '../step-up/step-up.ts'

const rule = freshFactor(false)

/** Deletes the account, after a fresh proof and when its address was typed. */
export const deletionPage: Page = {
  show: (_request, parts) => askToDelete(parts, null),
  take: (request, parts) =>
    withFreshProof(parts, { rule, returnTo: '/account/delete' }, async () => {
      const typed = (await readForm(request))?.get('email') ?? ''
      const { email } = await ownAccount(parts)
      // A custom store may have addresses in another spelling.
      const isOwn = typed.trim() === email || canonicalEmail(typed) === email
      return isOwn ? deleteOwn(request, parts) : askToDelete(parts, 'wrong')
    }),
}

async function deleteOwn(request: HttpRequest, parts: PageParts): Promise<HttpResponse> {
  const { frame, accountSession, cookies, response } = parts
  try {
    const { ok } = await accountSession.deleteAccount()
    // The account has changed meanwhile, which revoked the session.
    if (!ok) throw new AccessError('UNAUTHENTICATED')
  } catch (error) {
    if (isAccountsError(error) && error.code === 'LAST_ADMINISTRATOR') return askToDelete(parts, 'last')
    throw error
  }
  if (cookies.challenge.isSent(request)) response.setCookie(cookies.challenge.clear())
  const { texts } = frame
  const body = html`<p>${texts['deleted.text']}</p>`
  return createPage(frame, { title: texts['deleted.title'], body })
}

const refusals = { wrong: 'deletion.wrong', last: 'refusal.LAST_ADMINISTRATOR' } as const

async function askToDelete(parts: PageParts, refused: keyof typeof refusals | null): Promise<HttpResponse> {
  const { frame } = parts
  const { texts } = frame
  const { email } = await ownAccount(parts)
  const form = hasFreshProof(parts, rule)
    ? confirmationForm(frame, email, refused === 'wrong')
    : proofQuestion(frame, '/account/delete')
  const body = html`${problem(refused && texts[refusals[refused]])}<p>${texts['deletion.text']}</p>
${form}${cancelLink(frame)}`
  return createPage(frame, { status: refused ? 400 : 200, title: texts['account.deletion'], body })
}

function confirmationForm({ texts }: PageFrame, email: string, isWrong: boolean): Html {
  const address = field({
    name: 'email',
    label: texts['deletion.email'],
    type: 'email',
    // The user must type it: an address that a browser fills in is no confirmation.
    autocomplete: 'off',
    isWrong,
  })
  return html`<p>${fill(texts['deletion.confirm'], { email: html`<strong>${email}</strong>` })}</p>
<form method="post" action="/account/delete">
${address}<button type="submit">${texts['deletion.submit']}</button>
</form>
`
}
