import type { HttpReply, HttpRequest } from '@latchkey/http'
import { clientNotice, formTargetsOf } from '../../page-kit/asking-client.ts'
import { type CarriedWay, returnField, signInLink } from '../../page-kit/carried-way.ts'
import { addressField } from '../../page-kit/forms/address-field.ts'
import { formPage } from '../../page-kit/forms/form-page.ts'
import { problem } from '../../page-kit/html/field.ts'
import { html } from '../../page-kit/html/html.ts'
import { createPage, type PageFrame } from '../../page-kit/html/page.ts'
import { keepWay } from '../../page-kit/kept-return-to.ts'
import type { PageParts } from '../../page-kit/page-parts.ts'
import { withReturn } from '../../page-kit/return-path.ts'

/** Asks for the address whose owner gets a link. */
export function askForAddress(frame: PageFrame, way: CarriedWay, refused?: 'incomplete'): HttpReply {
  const { texts } = frame
  const address = addressField(frame, { isWrong: refused !== undefined, isFirst: true })
  const who = clientNotice(frame, way.asking, 'second-factor.client')
  const body = html`${problem(refused ? texts[`ask-reset.${refused}`] : null)}<p>${texts['ask-reset.why']}</p>
${who}<form method="post" action="/reset">
${returnField(way.returnTo)}${address}<button type="submit">${texts['ask-reset.submit']}</button>
</form>
${signInLink(way.returnTo, texts['ask-reset.sign-in'])}`
  return formPage(frame, { refused, asking: way.asking, title: texts['ask-reset.title'], body })
}

/** Has the mail sent. The page is the same for every address, and shows none: it says nothing of who has an account. */
export async function requestReset(
  request: HttpRequest,
  parts: PageParts,
  { email, way }: { readonly email: string; readonly way: CarriedWay },
): Promise<HttpReply> {
  const { frame, accountSession } = parts
  if (email.trim() === '') return askForAddress(frame, way, 'incomplete')
  await accountSession.requestPasswordReset({ email })
  keepWay(request, parts, way)
  const { texts } = frame
  const body = html`<p>${texts['reset-asked.text']}</p>
<ul>
<li><a href="${withReturn('/reset', way.returnTo)}">${texts['reset-asked.again']}</a></li>
<li><a href="${withReturn('/sign-in', way.returnTo)}">${texts['sign-in.submit']}</a></li>
</ul>`
  return createPage(frame, { title: texts['reset-asked.title'], body, formTargets: formTargetsOf(way.asking) })
}
