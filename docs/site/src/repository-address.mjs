/** The address of the repository that is built, from the workflow; null where there is none, and sources are not linked. */
export function repositoryAddress() {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env
  return server && repository ? `${server}/${repository}` : null
}
