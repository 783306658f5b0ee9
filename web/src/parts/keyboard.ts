/** Whether somebody has a mouse in hand, and so in all likelihood a keyboard. */
export const keyboard = matchMedia("(hover: hover) and (pointer: fine)").matches
