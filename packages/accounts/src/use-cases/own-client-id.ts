/** The client id of refresh families that this package issues to the service's own front ends. */
export const ownClientId = 'first-party'
