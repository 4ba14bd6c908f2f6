/** Of the built page: the packages that are a part of it, and the licences that ask to be passed on with them. */
export const LICENCES_FILE = 'licences.json'
