import { isAccountsError } from '@latchkey/accounts'
import { AccessError } from '@latchkey/graphql'
import type { HttpResponse } from '@latchkey/http'
import { responseBytes } from '../../page-kit/forms/passkey-part.ts'
import { passkeyRegistrationScript } from '../../page-kit/forms/passkey-script.ts'
import { readForm } from '../../page-kit/forms/read-form.ts'
import { hidden } from '../../page-kit/html/field.ts'
import { html } from '../../page-kit/html/html.ts'
import { createPage } from '../../page-kit/html/page.ts'
import { showCodes } from '../../page-kit/html/presented-codes.ts'
import type { Page, PageParts } from '../../page-kit/page-parts.ts'
import { authenticatedRule } from '../../page-kit/page-rules.ts'
import { redirect } from '../../page-kit/redirect.ts'
import { freshFactor, withFreshProof } from '../step-up/step-up.ts'
import { showPasskeys } from './passkeys-page.ts'

/** Shows the button to create a passkey. It needs a script. */
export const passkeyCreation: Page = {
  async take(request, parts) {
    const name = (await readForm(request))?.get('name')?.trim() ?? ''
    if (name === '' || [...name].length > 64) return showPasskeys(parts, 'passkeys.name-refused')
    return withFreshProof(
      parts,
      { rule: freshFactor(false, authenticatedRule), returnTo: '/account/passkeys' },
      async () => {
        const started = await parts.factorSession.startPasskeyRegistration()
        // The session was revoked in the meantime.
        if (!started.ok) throw new AccessError('UNAUTHENTICATED')
        return askToCreate(parts, { name, options: started.options })
      },
    )
  },
}

/** Adds the passkey of the browser, and shows the first recovery codes. */
export const passkeyAddition: Page = {
  formBytes: responseBytes,
  async take(request, parts) {
    const { frame, factorSession } = parts
    const form = await readForm(request)
    const [name, response] = [form?.get('name') ?? '', form?.get('response') ?? '']
    try {
      const result = await factorSession.finishPasskeyRegistration({ name, response })
      if (!result.ok) return showPasskeys(parts, 'passkeys.refused')
      return result.codes ? showCodes(frame, result.codes) : redirect(frame, '/account/passkeys')
    } catch (error) {
      if (isAccountsError(error) && error.code === 'NAME_INVALID') return showPasskeys(parts, 'passkeys.name-refused')
      throw error
    }
  },
}

function askToCreate(
  { frame }: PageParts,
  { name, options }: { readonly name: string; readonly options: object },
): HttpResponse {
  const { texts } = frame
  const body = html`<p>${texts['passkeys.create-text']}</p>
<form id="passkey" method="post" action="/account/passkeys/add" data-options="${JSON.stringify(options)}" hidden>
${hidden('name', name)}${hidden('response', '')}<button type="submit" autofocus>${texts['passkeys.create']}</button>
</form>
<p class="problem" id="passkey-failed" role="alert" hidden>${texts['passkeys.refused']}</p>
<p class="problem" id="passkey-unknown" role="alert" hidden>${texts['passkeys.unknown']}</p>
<noscript><p class="problem">${texts['passkeys.needs-script']}</p></noscript>
<p><a href="/account/passkeys">${texts['passkeys.cancel']}</a></p>`
  return createPage(frame, { title: texts['passkeys.create-title'], body, script: passkeyRegistrationScript })
}
