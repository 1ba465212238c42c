import { type Account, canonicalEmail } from '@latchkey/accounts'
import type { HttpResponse } from '@latchkey/http'
import { readForm } from '../../page-kit/forms/read-form.ts'
import { field, problem } from '../../page-kit/html/field.ts'
import { fill, type Html, html } from '../../page-kit/html/html.ts'
import { createPage, type PageFrame } from '../../page-kit/html/page.ts'
import { cancelLink, proofQuestion } from '../../page-kit/html/proof-question.ts'
import { checkPresentedFor, ownAccount, presentedFor } from '../../page-kit/own-account.ts'
import type { Page, PageParts } from '../../page-kit/page-parts.ts'
import { freshFactor, hasFreshProof, withFreshProof } from '../step-up/step-up.ts'

const rule = freshFactor(false)

/** Requests a change of address after a fresh proof. The address changes once the link in the mail is confirmed. */
export const emailPage: Page = {
  show: (_request, parts) => showForm(parts, null),
  take: (request, parts) =>
    withFreshProof(parts, { rule, returnTo: '/account/email' }, async () => {
      const { frame, accounts, authorize, attempt } = parts
      const form = await readForm(request)
      checkPresentedFor(form, authorize(rule))
      const typed = form?.get('email') ?? ''
      const newEmail = canonicalEmail(typed)
      if (newEmail === null) return showForm(parts, { typed, why: 'refusal.EMAIL_INVALID' })
      if (newEmail === (await ownAccount(parts)).email) return showForm(parts, { typed, why: 'change-email.same' })
      await accounts.requestEmailChange({ identity: authorize(rule), newEmail, attempt: attempt() })
      return showAsked(frame)
    }),
}

interface RefusedAddress {
  readonly typed: string
  readonly why: 'refusal.EMAIL_INVALID' | 'change-email.same'
}

async function showForm(parts: PageParts, refused: RefusedAddress | null): Promise<HttpResponse> {
  const { frame } = parts
  const { texts } = frame
  const account = await ownAccount(parts)
  const isFresh = hasFreshProof(parts, rule)
  const now = fill(texts['change-email.now'], { email: html`<strong>${account.email}</strong>` })
  const body = html`${problem(refused && texts[refused.why])}<p>${now}</p>
${isFresh ? addressForm(frame, account, refused?.typed ?? null) : proofQuestion(frame, '/account/email')}${cancelLink(frame)}`
  return createPage(frame, { status: refused ? 400 : 200, title: texts['account.email'], body })
}

/** @param refused the refused address, if any. */
function addressForm({ texts }: PageFrame, account: Account, refused: string | null): Html {
  const address = field({
    name: 'email',
    label: texts['change-email.new'],
    type: 'email',
    autocomplete: 'email',
    ...(refused !== null && { value: refused }),
    isWrong: refused !== null,
    isFirst: true,
  })
  return html`<form method="post" action="/account/email">
${presentedFor(account)}${address}<button type="submit">${texts['change-email.submit']}</button>
</form>
`
}

/** Shows the same page if the address is taken. Only its owner learns that, by mail. */
function showAsked(frame: PageFrame): HttpResponse {
  const { texts } = frame
  const body = html`<p>${texts['email-asked.text']}</p>
${cancelLink(frame)}`
  return createPage(frame, { title: texts['email-asked.title'], body })
}
