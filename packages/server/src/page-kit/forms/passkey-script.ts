/**
 * Uses a passkey instead of a password or a code: by the button and, if the browser supports it, from the list of the
 * address field. The response is sent as a form, so the service continues as after any other form. Features that the
 * browser lacks stay hidden, and a cancelled dialog shows no error.
 */
export const passkeySignInScript = `
{
  const form = document.getElementById('passkey')
  const known = window.PublicKeyCredential
  let waiting = null
  let isOffered = false
  const ask = async (mediation) => {
    waiting?.abort()
    const own = new AbortController()
    waiting = own
    isOffered = mediation !== null
    const body = new URLSearchParams({ step: form.elements.step.value })
    // In turns: tabs that open at once share the cookie of the first.
    const response = await navigator.locks.request('passkey', () => fetch('/passkey/start', { method: 'POST', body }))
    if (!response.ok) throw new Error('refused')
    const publicKey = known.parseRequestOptionsFromJSON(await response.json())
    if (own.signal.aborted) return
    const credential = await navigator.credentials.get({ publicKey, signal: own.signal, ...(mediation && { mediation }) })
    form.elements.response.value = JSON.stringify(credential)
    // The box of the form for a code counts for both.
    document.getElementById('remember')?.setAttribute('form', 'passkey')
    form.submit()
  }
  const fail = (error) => {
    const isCancelled = ['AbortError', 'NotAllowedError'].includes(error?.name)
    if (!isCancelled) document.getElementById('passkey-failed').hidden = false
    if (error?.name !== 'AbortError') offer()
  }
  let canOffer = false
  const offer = () => canOffer && ask('conditional').catch(() => {})
  const startOffers = async () => {
    canOffer = form.elements.step.value === 'sign-in' && (await known.isConditionalMediationAvailable?.())
    if (!waiting) offer()
    // A challenge lives five minutes, and the page may stand open for longer. A dialog of the user is left alone.
    if (canOffer) setInterval(() => isOffered && offer(), 240_000)
  }
  if (form && known?.parseRequestOptionsFromJSON) {
    form.hidden = false
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      document.getElementById('passkey-failed').hidden = true
      ask(null).catch(fail)
    })
    startOffers()
  }
}
`

/** Creates the passkey for which the page has the options, and sends what the authenticator answers. */
export const passkeyRegistrationScript = `
{
  const form = document.getElementById('passkey')
  const known = window.PublicKeyCredential
  if (known?.parseCreationOptionsFromJSON) {
    form.hidden = false
    form.addEventListener('submit', async (event) => {
      event.preventDefault()
      document.getElementById('passkey-failed').hidden = true
      try {
        const publicKey = known.parseCreationOptionsFromJSON(JSON.parse(form.dataset.options))
        form.elements.response.value = JSON.stringify(await navigator.credentials.create({ publicKey }))
        form.submit()
      } catch {
        document.getElementById('passkey-failed').hidden = false
      }
    })
  } else document.getElementById('passkey-unknown').hidden = false
}
`
