import type { HttpRequest, HttpResponse } from '@latchkey/http'
import { clientNotice, formTargetsOf } from '../../page-kit/asking-client.ts'
import { type Destination, returnField, signInLink } from '../../page-kit/destination.ts'
import { addressField } from '../../page-kit/forms/address-field.ts'
import { formPage } from '../../page-kit/forms/form-page.ts'
import { problem } from '../../page-kit/html/field.ts'
import { html } from '../../page-kit/html/html.ts'
import { createPage, type PageFrame } from '../../page-kit/html/page.ts'
import { keepReturnTo } from '../../page-kit/kept-return-to.ts'
import type { PageParts } from '../../page-kit/page-parts.ts'
import { withReturn } from '../../page-kit/return-path.ts'

/** Shows the form that requests a reset for an address. */
export function askForAddress(frame: PageFrame, destination: Destination, refused?: 'incomplete'): HttpResponse {
  const { texts } = frame
  const address = addressField(frame, { isWrong: refused !== undefined, isFirst: true })
  const who = clientNotice(frame, destination.asking, 'second-factor.client')
  const body = html`${problem(refused ? texts[`ask-reset.${refused}`] : null)}<p>${texts['ask-reset.why']}</p>
${who}<form method="post" action="/reset">
${returnField(destination.returnTo)}${address}<button type="submit">${texts['ask-reset.submit']}</button>
</form>
${signInLink(destination.returnTo, texts['ask-reset.sign-in'])}`
  return formPage(frame, { refused, asking: destination.asking, title: texts['ask-reset.title'], body })
}

/** Sends the mail. The page is the same for every address, so it does not tell which addresses have an account. */
export async function requestReset(
  request: HttpRequest,
  parts: PageParts,
  { email, destination }: { readonly email: string; readonly destination: Destination },
): Promise<HttpResponse> {
  const { frame, accountSession } = parts
  if (email.trim() === '') return askForAddress(frame, destination, 'incomplete')
  await accountSession.requestPasswordReset({ email })
  keepReturnTo(request, parts, destination)
  const { texts } = frame
  const body = html`<p>${texts['reset-asked.text']}</p>
<ul>
<li><a href="${withReturn('/reset', destination.returnTo)}">${texts['reset-asked.again']}</a></li>
<li><a href="${withReturn('/sign-in', destination.returnTo)}">${texts['sign-in.submit']}</a></li>
</ul>`
  return createPage(frame, { title: texts['reset-asked.title'], body, formTargets: formTargetsOf(destination.asking) })
}
