export const legend = "painted by hand"
