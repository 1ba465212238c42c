/** The token of a link in a mail. It is removed from the address at once, so the history of the browser does not keep it. */
export const mailToken: string | null = new URLSearchParams(location.search).get('token')

if (mailToken !== null) history.replaceState(null, '', location.pathname)
