import { hidden } from './field.ts'
import { type Html, html } from './html.ts'
import type { PageFrame } from './page.ts'

/**
 * Returns the button that takes a fresh proof and returns. It precedes the form, so that entered values are not lost.
 */
export function proofQuestion({ texts }: PageFrame, returnTo: string): Html {
  return html`<p>${texts['proof.why']}</p>
<form method="post" action="/step-up">
${hidden('return_to', returnTo)}<button type="submit">${texts['proof.submit']}</button>
</form>
`
}

/** Returns the link back to the account. */
export function cancelLink({ texts }: PageFrame): Html {
  return html`<p><a href="/account">${texts['second-factor.back']}</a></p>`
}
