/** Who is signed in to the service itself: the rule of all that the pages of an account show. */
export const signedIn = { authenticated: true, firstParty: true } as const

/** The same, also to an account that has to set up a second factor before anything else: what leads to one, or out. */
export const authenticatedRule = { authenticated: true, firstParty: true, beforeEnrollment: true } as const
