import type { HttpReply } from '@latchkey/http'
import { field, problem } from '../field.ts'
import { html } from '../html.ts'
import { createPage, type PageFrame } from '../page.ts'
import type { PageParts } from '../page-parts.ts'

/** Asks for the address whose owner gets a link. */
export function askForAddress(frame: PageFrame, refused: 'incomplete' | null = null): HttpReply {
  const { texts } = frame
  const address = field({
    name: 'email',
    label: texts['field.email'],
    type: 'email',
    autocomplete: 'username',
    isWrong: refused !== null,
    isFirst: true,
  })
  const body = html`${problem(refused && texts[`ask-reset.${refused}`])}<p>${texts['ask-reset.why']}</p>
<form method="post" action="/reset">
${address}<button type="submit">${texts['ask-reset.submit']}</button>
</form>
<p><a href="/sign-in">${texts['sign-in.submit']}</a></p>`
  return createPage(frame, { status: refused ? 400 : 200, title: texts['ask-reset.title'], body })
}

/** Has the mail sent. The page is the same for every address, and shows none: it says nothing of who has an account. */
export async function requestReset({ frame, accountSession }: PageParts, email: string): Promise<HttpReply> {
  if (email.trim() === '') return askForAddress(frame, 'incomplete')
  await accountSession.requestPasswordReset({ email })
  const { texts } = frame
  const body = html`<p>${texts['reset-asked.text']}</p>
<p><a href="/reset">${texts['reset-asked.again']}</a></p>`
  return createPage(frame, { title: texts['reset-asked.title'], body })
}
