import { AccessError } from '@latchkey/graphql'
import type { HttpResponse } from '@latchkey/http'
import type { WaitingAuthorization } from '../../options/oauth/authorization-server.ts'
import { clientNotice, formTargetsOf } from '../../page-kit/asking-client.ts'
import { readForm } from '../../page-kit/forms/read-form.ts'
import { hidden } from '../../page-kit/html/field.ts'
import { type Html, html } from '../../page-kit/html/html.ts'
import { createPage, type PageFrame } from '../../page-kit/html/page.ts'
import type { Page, PageParts } from '../../page-kit/page-parts.ts'
import { signedIn } from '../../page-kit/page-rules.ts'
import { readReturnTo, withReturn } from '../../page-kit/return-path.ts'
import { stepUpKinds } from '../../schema/step-up-kinds.ts'
import { askForProof } from './step-up.ts'

/**
 * Asks who is signed in for the second factor that a client wishes for. It is a wish (OpenID Connect Core §3.1.2.1), so the
 * client is answered without it as well, and reads from the id token how its user has signed in.
 */
export async function askForFurtherFactor(
  parts: PageParts,
  returnTo: string,
  asking: WaitingAuthorization,
): Promise<HttpResponse> {
  const { frame, identity, accounts } = parts
  const { texts } = frame
  if (!identity) throw new AccessError('UNAUTHENTICATED')
  const factors = await accounts.listFactors(identity.subject)
  const canShow = factors.some(({ kind, isDisabled }) => !isDisabled && stepUpKinds(false).includes(kind))
  const body = html`${clientNotice(frame, asking, 'step-up.client')}${canShow ? proofForm(frame, returnTo) : noFactor(frame)}<ul>
<li><a href="${returnTo}">${texts['step-up.skip']}</a></li>
<li><a href="${otherAccountPath(returnTo)}">${texts['consent.other-account']}</a></li>
</ul>`
  return createPage(frame, { title: texts['second-factor.title'], body, formTargets: formTargetsOf(asking) })
}

function proofForm({ texts }: PageFrame, returnTo: string): Html {
  return html`<form method="post" action="/step-up">
${hidden('return_to', returnTo)}<button type="submit">${texts['step-up.submit']}</button>
</form>
`
}

function noFactor({ texts }: PageFrame): Html {
  return html`<p>${texts['step-up.none']}</p>
<p><a href="/account">${texts['step-up.set-up']}</a></p>
`
}

/** Requests a fresh proof, then redirects to `return_to`. */
export const stepUpForm: Page = {
  async take(request, parts) {
    parts.authorize(signedIn)
    const form = await readForm(request)
    return askForProof(parts, { returnTo: readReturnTo(form?.get('return_to'), parts.frame) })
  },
}

/** Returns the path at which another account signs in for the same request. */
export function otherAccountPath(returnTo: string): string {
  return `${withReturn('/sign-in', returnTo)}&prompt=select_account`
}
