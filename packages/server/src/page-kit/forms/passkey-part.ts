import { returnField } from '../destination.ts'
import { hidden } from '../html/field.ts'
import { fill, type Html, html, nothing } from '../html/html.ts'
import type { PageParts } from '../page-parts.ts'
import { passkeySignInScript } from './passkey-script.ts'

/** An answer of an authenticator with a credential id of 1023 bytes, and an attestation. */
export const responseBytes = 65_536

export interface PasskeyPart {
  readonly body: Html
  /** Omitted: the page needs none. */
  readonly script?: string
}

export interface PasskeyStep {
  readonly step: 'sign-in' | 'second-factor'
  /** `null`: to the home of the application. */
  readonly returnTo: string | null
  /** The page that the part stands on. */
  readonly path: string
  /** Further fields of its form. */
  readonly box?: Html
  /** Whether a client waits: its request is bound to this host, so no other one is of use. */
  readonly isForClient?: boolean
}

/** Returns the button that uses a passkey. It is hidden without scripts. */
export function passkeyPart(
  parts: PageParts,
  { step, returnTo, path, box = nothing, isForClient = false }: PasskeyStep,
): PasskeyPart {
  const { frame, offers } = parts
  const { texts } = frame
  if (!offers.passkeys) return { body: nothing }
  if (offers.passkeyOrigin !== null) {
    return { body: isForClient ? nothing : elsewhere(texts['passkey.elsewhere'], offers.passkeyOrigin, path) }
  }
  const body = html`<form id="passkey" method="post" action="/passkey" hidden>
${hidden('step', step)}${returnField(returnTo)}${hidden('response', '')}${box}<button type="submit" class="quiet">${texts['passkey.use']}</button>
</form>
<p class="problem" id="passkey-failed" role="alert" hidden>${texts['passkey.failed']}</p>
`
  return { body, script: passkeySignInScript }
}

/** Leads to the same page at the host of which passkeys are. */
export function elsewhere(text: string, origin: string, path: string): Html {
  return html`<p>${fill(text, { address: html`<a href="${origin}${path}">${new URL(origin).host}</a>` })}</p>
`
}
