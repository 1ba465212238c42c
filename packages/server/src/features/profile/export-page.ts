import { AccessError } from '@latchkey/graphql'
import { html } from '../../page-kit/html/html.ts'
import { createPage } from '../../page-kit/html/page.ts'
import { cancelLink, proofQuestion } from '../../page-kit/html/proof-question.ts'
import type { Page } from '../../page-kit/page-parts.ts'
import { freshFactor, hasFreshProof, withFreshProof } from '../step-up/step-up.ts'

const rule = freshFactor(false)

/** Answers with the data of the account as a file, after a fresh proof. */
export const exportPage: Page = {
  show(_request, parts) {
    const { frame } = parts
    const { texts } = frame
    const download = html`<form method="post" action="/account/export">
<button type="submit">${texts['export.submit']}</button>
</form>
`
    const body = html`<p>${texts['export.text']}</p>
${hasFreshProof(parts, rule) ? download : proofQuestion(frame, '/account/export')}${cancelLink(frame)}`
    return createPage(frame, { title: texts['account.export'], body })
  },
  take: (_request, parts) =>
    withFreshProof(parts, { rule, returnTo: '/account/export' }, async () => {
      const { frame, accounts, authorize, attempt } = parts
      const body = await accounts.exportAccount({ identity: authorize(rule), attempt: attempt() })
      if (body === null) throw new AccessError('UNAUTHENTICATED')
      const headers = [
        ['Content-Type', 'application/json; charset=utf-8'],
        ['Content-Disposition', 'attachment; filename="account.json"'],
        ['Cache-Control', 'no-store'],
        ...frame.security.api,
      ] as const
      return { status: 200, headers, body }
    }),
}
