import { fill, type Html, html, nothing } from '../../page-kit/html/html.ts'
import type { PageParts } from '../../page-kit/page-parts.ts'

/** Returns the box that remembers this device. Only a sign-in shows it, and only if the service offers it. */
export function rememberBox({ frame: { texts }, offers, identity }: PageParts): Html {
  if (offers.rememberDays === null || identity !== null) return nothing
  const label = fill(texts['second-factor.remember'], { days: offers.rememberDays })
  return html`<p><input type="checkbox" id="remember" name="remember" value="yes"> <label for="remember">${label}</label></p>
`
}

export function isRemembering(form: ReadonlyMap<string, string> | null): boolean {
  return form?.get('remember') === 'yes'
}
