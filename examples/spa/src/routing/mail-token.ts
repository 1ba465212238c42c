/** The token of the link of a mail. It leaves the address at once: nobody finds it in the history. */
export const mailToken: string | null = new URLSearchParams(location.search).get('token')

if (mailToken !== null) history.replaceState(null, '', location.pathname)
