// Stands in for the page's script until it is built.
const told = document.getElementById("linsep-story");
document.getElementById("linsep-explorer").textContent = JSON.parse(told.textContent).title;
